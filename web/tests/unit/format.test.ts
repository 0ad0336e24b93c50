import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pieces } from '../../src/format/ansi';
import { difference } from '../../src/format/diff';
import { bytes, isWebLink, quoted, shortId } from '../../src/format/text';
import { ago, day, dayStart, full, short, span } from '../../src/format/time';

test('spans are said as people say them', () => {
  const rows: [number, string][] = [
    [0, '0ms'], [840, '840ms'], [1000, '1.0s'], [9_990, '9.9s'], [12_000, '12s'], [133_000, '2m 13s'], [120_000, '2m'],
    [3_600_000, '1h'], [90_000_000, '1d 1h'], [-5000, '-5.0s'], [NaN, '–'],
  ];
  for (const [ms, text] of rows) assert.equal(span(ms), text);
});

test('times are told in the zone that was chosen', () => {
  const at = new Date('2026-03-29T00:30:00.250Z');
  assert.equal(day(at, 'utc'), '2026-03-29');
  assert.equal(day(at, 'America/New_York'), '2026-03-28');
  assert.equal(full(at, 'utc'), '2026-03-29 00:30:00.250 UTC');
  assert.equal(short(at, 'utc', new Date('2026-03-29T12:00:00Z')), '00:30:00');
  assert.equal(short(at, 'utc', new Date('2026-04-02T12:00:00Z')), '29 Mar 00:30');
  assert.equal(short(at, 'utc', new Date('2027-04-02T12:00:00Z')), '29 Mar 2026 00:30');
  assert.equal(ago(at, new Date('2026-03-29T00:33:10.250Z')), '3m ago');
  assert.equal(ago(at, new Date('2026-03-28T22:30:00.250Z')), 'in 2h');
});

test('a shell reads what was quoted as one argument', () => {
  const rows: [string, string][] = [['plain-1.0', 'plain-1.0'], ['two words', "'two words'"], ["it's", `'it'\\''s'`], ['$(x)', "'$(x)'"], ['', "''"]];
  for (const [text, wanted] of rows) assert.equal(quoted(text), wanted);
});

test('only web links become links', () => {
  for (const text of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc', 'x', ' http://a b']) assert.equal(isWebLink(text), false, text);
  assert.equal(isWebLink('https://a.example/b'), true);
});

test('sizes and ids are short', () => {
  assert.deepEqual([bytes(0), bytes(1536), bytes(5 * 2 ** 30)], ['0 B', '1.5 KiB', '5.0 GiB']);
  assert.equal(shortId('run_01a1ee03fcc270008f5658097cdacb71'), 'run_…7cdacb71');
  assert.equal(shortId('worker_1'), 'worker_1');
});

test('colours of a terminal become classes, everything else of it disappears', () => {
  assert.deepEqual(pieces('plain'), [{ text: 'plain', style: '' }]);
  assert.deepEqual(pieces('a\u001b[31;1mred\u001b[0mb'), [{ text: 'a', style: '' }, { text: 'red', style: 'fg1 bold' }, { text: 'b', style: '' }]);
  assert.deepEqual(pieces('\u001b]0;title\u0007x\u001b[2Ky'), [{ text: 'x', style: '' }, { text: 'y', style: '' }]);
  assert.equal(pieces('<b>\u001b[32m<script>').map((piece) => piece.text).join(''), '<b><script>');
});

test('a difference has the changed lines and three around them', () => {
  const before = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  const after = before.toSpliced(10, 1, 'new', 'newer');
  const signs = difference(before.join('\n'), after.join('\n')).map((line) => line.sign + line.text);
  assert.deepEqual(signs.filter((line) => line[0] !== ' '), ['-line 10', '+new', '+newer']);
  assert.ok(signs.includes(' line 7') && !signs.includes(' line 6') && signs.includes(' line 13') && !signs.includes(' line 14'));
  assert.deepEqual(difference('a', 'a').filter((line) => line.sign !== ' '), []);
});

test('a day begins at midnight of its zone, also where the clock changes', () => {
  const begins = (text: string, zone: string) => dayStart(text, zone).toISOString();
  assert.equal(begins('2026-03-29', 'Europe/Berlin'), '2026-03-28T23:00:00.000Z');
  assert.equal(begins('2026-03-30', 'Europe/Berlin'), '2026-03-29T22:00:00.000Z');
  assert.equal(begins('2026-11-01', 'America/New_York'), '2026-11-01T04:00:00.000Z');
  assert.equal(begins('2026-11-19', 'utc'), '2026-11-19T00:00:00.000Z');
});
