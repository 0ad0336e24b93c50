// The server wants its shared token. It is given once and kept by the browser as a cookie that no script can read.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError, needsToken, send } from '../api/client';
import { refreshAll } from '../live/query';
import { Failure } from '../ui/basics';

export function TokenDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [token, setToken] = useState('');
  const [error, setError] = useState<ApiError>();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const enter = async () => {
    try {
      await send({ method: 'POST', path: '/ui/session', body: { token: token.trim() } });
      needsToken.value = false;
      refreshAll();
    } catch (problem) {
      setError(problem as ApiError);
    }
  };
  return (
    <dialog ref={dialog} class="ask" aria-labelledby="token-title">
      <form method="dialog" onSubmit={(event) => { event.preventDefault(); void enter(); }}>
        <h2 id="token-title">This server wants a token</h2>
        <p>It is in the file that the server was started with (<code>--token-file</code>).</p>
        <label>Token
          <input type="password" autocomplete="current-password" value={token} onInput={(event) => setToken(event.currentTarget.value)} />
        </label>
        {error && <Failure error={error} />}
        <footer><button type="submit" class="main">Enter</button></footer>
      </form>
    </dialog>
  );
}
