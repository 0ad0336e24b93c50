// Colours of terminal output: `ESC [ … m` becomes a class, every other escape sequence is left out.

export interface Piece {
  text: string;
  /** `fg1 bold`, or nothing. */
  style: string;
}

// CSI sequences, OSC sequences, and single-character escapes.
const ESCAPE = /\u001b(?:\[([0-?]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

export function pieces(line: string): Piece[] {
  if (!line.includes('\u001b')) return [{ text: line, style: '' }];
  const found: Piece[] = [];
  let [last, colour, bold, dim] = [0, '', false, false];
  const push = (text: string) => {
    if (text) found.push({ text, style: [colour, bold ? 'bold' : '', dim ? 'dim' : ''].filter(Boolean).join(' ') });
  };
  for (const match of line.matchAll(ESCAPE)) {
    push(line.slice(last, match.index));
    last = match.index + match[0].length;
    if (match[2] !== 'm') continue;
    for (const code of (match[1] || '0').split(';').map(Number)) {
      if (code === 0) [colour, bold, dim] = ['', false, false];
      else if (code === 1) bold = true;
      else if (code === 2) dim = true;
      else if (code === 22) [bold, dim] = [false, false];
      else if (code === 39) colour = '';
      else if (code >= 30 && code <= 37) colour = `fg${code - 30}`;
      else if (code >= 90 && code <= 97) colour = `fg${code - 90}`;
      else if (code === 38 || code === 48) break;
    }
  }
  push(line.slice(last));
  return found;
}
