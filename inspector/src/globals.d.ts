/** The built-in dialects' files by name. */
declare module "virtual:dialects" {
  const files: Record<string, string>;
  export default files;
}
