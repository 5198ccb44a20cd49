/** A dialog of the platform: it keeps the focus, closes with Escape and with a click beside it. */
import type { ComponentChildren } from "preact";
import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  /** What the button that opens it says. */
  opener: ComponentChildren;
  openerClass?: string;
  title: string;
  /** Opens it from elsewhere. */
  wanted?: Signal<boolean>;
  children(close: () => void): ComponentChildren;
}

export function Dialog({ opener, openerClass = "button", title, wanted, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (!wanted?.value) return;
    wanted.value = false;
    dialog.current?.showModal();
  }, [wanted?.value]);
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
