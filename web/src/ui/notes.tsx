// Who did what, and why.

import type { Note } from '../api/views';
import { Empty, Time } from './basics';

export function Notes({ notes }: { notes: Note[] | undefined }) {
  if (!notes?.length) return <Empty title="Nobody changed anything by hand" />;
  return (
    <div class="scroll-x" tabIndex={0}><table class="plain">
      <thead><tr><th class="tight">When</th><th>What</th><th class="tight">Who</th><th>Why</th></tr></thead>
      <tbody>{notes.map((note, at) => (
        <tr key={at}><td class="tight"><Time at={note.at} /></td><td>{note.what}</td><td class="tight">{note.actor}</td><td>{note.reason}</td></tr>
      ))}</tbody>
    </table></div>
  );
}
