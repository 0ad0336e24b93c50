// Buttons that change something. Each asks first, says what it will do, takes a reason where the server keeps one, and
// shows the same as a command and as curl.

import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { asCommand, asCurl, withReason, type Action } from '../api/actions';
import { ApiError, send } from '../api/client';
import { refreshAll } from '../live/query';
import { base, go } from '../url/route';
import { Failure, Said, copyText } from './basics';
import { tell } from './toast';

const asked = signal<Action | undefined>(undefined);

export const ask = (action: Action): void => {
  asked.value = action;
};

export function Act({ action, isMain }: { action: Action; isMain?: boolean }) {
  const kind = [isMain ? 'main' : '', action.isHarmful ? 'harm' : ''].filter(Boolean).join(' ');
  return <button type="button" class={kind} onClick={() => ask(action)}>{action.name}</button>;
}

/** The actions that do not fit a bar, behind one button. */
export function MoreActions({ actions, id }: { actions: Action[]; id: string }) {
  if (!actions.length) return null;
  const menu = `menu-${id}`;
  return (
    <span class="menu-anchor">
      <button type="button" popovertarget={menu} aria-haspopup="menu">More…</button>
      <div id={menu} popover="auto" class="menu">
        {actions.map((action) => (
          <button type="button" key={action.name} class={action.isHarmful ? 'harm' : ''} popovertarget={menu} popovertargetaction="hide"
            onClick={() => ask(action)}>{action.name}</button>
        ))}
      </div>
    </span>
  );
}

/** Who acts, as this browser remembers it. */
const ACTOR = 'actor';
const storedActor = (): string => {
  try {
    return localStorage.getItem(ACTOR) ?? '';
  } catch {
    return '';
  }
};

function storeActor(name: string): void {
  try {
    localStorage.setItem(ACTOR, name);
  } catch {
    // It is asked for again.
  }
}

export async function perform(action: Action, actor = ''): Promise<void> {
  const answer = await send(action.request, actor);
  const done: { text: string; href?: string; isBad?: boolean } = action.done?.(answer) ?? { text: 'done' };
  tell({ ...done, href: done.href && base + done.href });
  refreshAll();
  if (done.href && action.leads) go(base + done.href);
}

export function Confirm() {
  const action = asked.value;
  return action ? <ConfirmDialog key={asCommand(action)} action={action} /> : null;
}

function ConfirmDialog({ action }: { action: Action }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  const [actor, setActor] = useState(storedActor());
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const [counted, setCounted] = useState(action.count ? '' : undefined);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    const stop = new AbortController();
    action.count?.(stop.signal).then(setCounted, (problem) => !stop.signal.aborted && setCounted(`They could not be counted: ${problem instanceof Error ? problem.message : problem}.`));
    return () => stop.abort();
  }, []);
  const close = () => {
    asked.value = undefined;
  };
  const whole = withReason(action, reason.trim());
  const act = async () => {
    setBusy(true);
    try {
      storeActor(actor.trim());
      await perform(whole, actor.trim());
      close();
    } catch (problem) {
      setError(problem instanceof ApiError ? problem : new ApiError(String(problem), 'PAGE', '', 0));
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} class="ask" onClose={close} aria-labelledby="ask-title">
      <form method="dialog" onSubmit={(event) => { event.preventDefault(); void act(); }}>
        <h2 id="ask-title">{action.name}?</h2>
        {counted !== undefined && <p role="status">{counted ? <strong>{counted}</strong> : 'Counting…'}</p>}
        <p><Said text={action.effect} /></p>
        {action.takesReason && (
          <label>Reason, kept with it
            <input value={reason} maxLength={200} onInput={(event) => setReason(event.currentTarget.value)} placeholder="optional" />
          </label>
        )}
        {(action.takesReason || action.needsActor) && (
          <label>Your name, kept with it
            <input value={actor} maxLength={100} autocomplete="username" required={action.needsActor} onInput={(event) => setActor(event.currentTarget.value)} placeholder={action.needsActor ? 'as the job names who may decide' : 'optional'} />
          </label>
        )}
        {error && <Failure error={error} />}
        <div class="as">
          <button type="button" class="link" onClick={() => void copyText(asCommand(whole), 'command')}>Copy as CLI</button>
          <button type="button" class="link" onClick={() => void copyText(asCurl(whole, location.origin, actor.trim()), 'curl command')}>Copy as curl</button>
        </div>
        <footer>
          <button type="button" onClick={close}>Back</button>
          <button type="submit" class={action.isHarmful ? 'harm main' : 'main'} disabled={isBusy || counted === ''}>{action.name}</button>
        </footer>
      </form>
    </dialog>
  );
}
