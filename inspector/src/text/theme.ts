/** The editor's looks; the colours are the page's variables, which reach into shadow roots. */
import { EditorView } from "@codemirror/view";
import { KINDS } from "../engine/inspection";

const kinds = Object.fromEntries(
  KINDS.filter((kind) => kind !== "text").map((kind) => [`.k-${kind}`, { color: `var(--${kind})`, backgroundColor: `var(--${kind}-back)` }]),
);

export const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "transparent", height: "100%", fontSize: "var(--mono-size)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px", borderRadius: "6px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.7" },
  ".cm-content": { padding: "14px 4px", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 14px" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-placeholder": { color: "var(--faint)", whiteSpace: "pre-wrap" },
  ".cm-selectionBackground": { backgroundColor: "var(--select) !important" },
  ".cm-specialChar": { color: "var(--skipped)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  ".cm-lintRange-error": { backgroundImage: "none", borderBottom: "2px solid var(--bad)", backgroundColor: "var(--skipped-back)" },
  ".cm-lint-marker-error": { content: '""', width: "8px", height: "8px", borderRadius: "50%", backgroundColor: "var(--bad)" },
  ".cm-tooltip": { backgroundColor: "var(--card)", border: "1px solid var(--line)", borderRadius: "6px", color: "var(--ink)" },
  ".k": { borderRadius: "3px", padding: "1.5px 0" },
  ...kinds,
  ".k-reasoning": { color: "var(--reasoning)", fontStyle: "italic" },
  ".k-name": { color: "var(--name)", backgroundColor: "var(--name-back)", fontWeight: "650" },
  ".k-repaired": { color: "var(--repaired)", backgroundColor: "var(--repaired-back)", textDecoration: "underline wavy 1px", textUnderlineOffset: "3px" },
  ".k-skipped": { color: "var(--skipped)", backgroundColor: "var(--skipped-back)", textDecoration: "line-through 1px" },
  ".lit": { boxShadow: "0 0 0 1.5px var(--accent)", backgroundColor: "var(--lit)" },
  ".t-missed": { textDecoration: "underline dashed 1.5px var(--warn, var(--bad))", textUnderlineOffset: "5px" },
  ".t-held, .t-held .k": { backgroundColor: "var(--held-back)", color: "var(--held)" },
  ".t-held": { borderBottom: "2px solid var(--held)" },
  ".t-later, .t-later .k": { color: "var(--faint)", backgroundColor: "transparent", textDecoration: "none", fontWeight: "400", fontStyle: "normal" },
});
