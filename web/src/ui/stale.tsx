// What is on screen could not be read again.

import type { ApiError } from '../api/client';
import { clock } from '../format/time';
import { zone } from './basics';

export function Stale({ at, error }: { at: number; error: ApiError }) {
  return (
    <p class="stale" role="status">
      As of {clock(new Date(at), zone())}: {error.message}. {error.advice}
    </p>
  );
}
