// Values that came from outside, as text. Nothing here can become markup.

import { useState } from 'preact/hooks';
import { bytes, isWebLink } from '../format/text';
import { copyText } from './basics';

/** More than this is not put into the page; it can be downloaded. */
const SHOWN_MAX = 64 * 1024;

export function Json({ value, name }: { value: unknown; name: string }) {
  const [isWhole, setWhole] = useState(false);
  if (value === undefined || value === null) return <p class="quiet">none</p>;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const isCut = text.length > SHOWN_MAX && !isWhole;
  const save = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    link.download = `${name}.json`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <div class="json">
      <div class="json-bar">
        <button type="button" class="link" onClick={() => void copyText(text, name)}>Copy</button>
        <button type="button" class="link" onClick={save}>Download</button>
        <span class="quiet">{bytes(new Blob([text]).size)}</span>
        {isCut && <button type="button" class="link" onClick={() => setWhole(true)}>Show all of it</button>}
      </div>
      <pre tabIndex={0}>{typeof value === 'string' && isWebLink(value)
        ? <a href={value} rel="noopener noreferrer" target="_blank">{value}</a>
        : isCut ? `${text.slice(0, SHOWN_MAX)}…` : text}</pre>
    </div>
  );
}
