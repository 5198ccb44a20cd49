/** A dialog of the platform: it keeps the focus, closes with Escape and with a click beside it. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

interface Props {
  /** What the button that opens it says. */
  opener: ComponentChildren;
  openerClass?: string;
  title: string;
  children(close: () => void): ComponentChildren;
}

export function Dialog({ opener, openerClass = "button", title, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
  const beside = (event: MouseEvent) => event.target === dialog.current && close();
  return (
    <>
      <button type="button" class={openerClass} aria-haspopup="dialog" onClick={() => dialog.current?.showModal()}>
        {opener}
      </button>
      <dialog ref={dialog} aria-label={title} onClick={beside}>
        <div class="dialog">
          <div class="card-head">
            <h2>{title}</h2>
            <button type="button" class="quiet" onClick={close}>
              Close
            </button>
          </div>
          {children(close)}
        </div>
      </dialog>
    </>
  );
}
