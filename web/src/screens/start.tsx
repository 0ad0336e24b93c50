// The form that starts a job: one field for each parameter of the job, of its type, filled with its default or with what
// an earlier run had.

import { useState } from 'preact/hooks';
import { rerunWith, startJob } from '../api/actions';
import type { Job, Run } from '../api/views';
import { ask } from '../ui/act';
import { shortId } from '../format/text';

export interface Field {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'json';
  default?: unknown;
  description?: string;
  choices?: unknown[];
  isRequired: boolean;
  minimum?: number;
  maximum?: number;
}

/** A parameter is a default value, or an object that describes it. */
export function fieldOf(name: string, declared: unknown): Field {
  const isSchema = typeof declared === 'object' && declared !== null && !Array.isArray(declared) && ('type' in declared || 'default' in declared || 'enum' in declared);
  const schema = (isSchema ? declared : { default: declared }) as Record<string, unknown>;
  const type = String(schema.type ?? typeOf(schema.default));
  return {
    name,
    type: ['string', 'integer', 'number', 'boolean'].includes(type) ? (type as Field['type']) : 'json',
    default: schema.default,
    description: schema.description as string | undefined,
    choices: schema.enum as unknown[] | undefined,
    isRequired: Boolean(schema.required ?? !('default' in schema)),
    minimum: schema.minimum as number | undefined,
    maximum: schema.maximum as number | undefined,
  };
}

function typeOf(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : 'object';
}

export const shown = (value: unknown, type: Field['type']): string => {
  if (value === undefined || value === null) return '';
  return type === 'json' ? JSON.stringify(value) : String(value);
};

/** The value that the text stands for, or what is wrong with it. */
export function valueOf(field: Field, text: string): { value?: unknown; mistake?: string } {
  if (text === '' && field.type !== 'string') return field.isRequired ? { mistake: 'a value is needed' } : {};
  switch (field.type) {
    case 'string':
      return { value: text };
    case 'boolean':
      return { value: text === 'true' };
    case 'integer':
    case 'number': {
      const value = Number(text);
      if (Number.isNaN(value)) return { mistake: 'not a number' };
      if (field.type === 'integer' && !Number.isInteger(value)) return { mistake: 'not a whole number' };
      if (field.minimum !== undefined && value < field.minimum) return { mistake: `at least ${field.minimum}` };
      if (field.maximum !== undefined && value > field.maximum) return { mistake: `at most ${field.maximum}` };
      return { value };
    }
    case 'json':
      try {
        return { value: JSON.parse(text) };
      } catch {
        return { mistake: 'not JSON' };
      }
  }
}

type Values = Record<string, unknown>;

/** What is in the fields, what is wrong with it, and what differs from `base`. */
function useFields(fields: Field[], base: Values) {
  const textsOf = (from: Values) => Object.fromEntries(fields.map((field) => [field.name, shown(from[field.name] ?? field.default, field.type)]));
  const [texts, setTexts] = useState<Record<string, string>>(textsOf(base));
  const read = fields.map((field) => [field, valueOf(field, texts[field.name] ?? '')] as const);
  const changed = read.filter(([field, { value }]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(base[field.name] ?? field.default));
  return {
    texts, read, isWrong: read.some(([, { mistake }]) => mistake), changed: Object.fromEntries(changed.map(([field, { value }]) => [field.name, value])),
    set: (name: string, text: string) => setTexts({ ...texts, [name]: text }), take: (from: Values) => setTexts(textsOf(from)),
  };
}

function Fields({ form }: { form: ReturnType<typeof useFields> }) {
  return <>{form.read.map(([field, { mistake }]) => (
    <label key={field.name}>{field.name}{field.isRequired ? ' (needed)' : ''}
      <Input field={field} text={form.texts[field.name] ?? ''} set={(text) => form.set(field.name, text)} />
      {field.description && <small>{field.description}</small>}
      {mistake && <small class="mistake" role="alert">{mistake}</small>}
    </label>
  ))}</>;
}

const fieldsOf = (job: Job): Field[] => Object.entries(job.definition?.parameters ?? {}).map(([name, declared]) => fieldOf(name, declared));

export function StartForm({ job, last }: { job: Job; last: Run[] }) {
  const fields = fieldsOf(job);
  const form = useFields(fields, {});
  const [wish, setWish] = useState({ run_key: '', logical_time: '', priority: '' });
  const isWrong = form.isWrong || (wish.logical_time !== '' && Number.isNaN(Date.parse(wish.logical_time))) || Boolean(wish.logical_time && wish.run_key);
  const start = () => ask(startJob(job.job, job.tenant, { parameters: form.changed, ...wish }));
  return (
    <form class="form" onSubmit={(event) => { event.preventDefault(); if (!isWrong) start(); }}>
      {fields.length === 0 && <p class="quiet">This job takes no parameters.</p>}
      {fields.length > 0 && last.length > 0 && (
        <label>Take the values of
          <select onChange={(event) => form.take(last.find((run) => run.run_id === event.currentTarget.value)?.parameters ?? {})}>
            <option value="">the job file</option>
            {last.map((run) => <option key={run.run_id} value={run.run_id}>{shortId(run.run_id)}, {run.state}, {run.created_at.slice(0, 16).replace('T', ' ')}</option>)}
          </select>
        </label>
      )}
      <Fields form={form} />
      <label>Run key
        <input value={wish.run_key} maxLength={200} placeholder="optional" onInput={(event) => setWish({ ...wish, run_key: event.currentTarget.value })} />
        <small>One run for each key: starting again with it gives the first run.</small>
      </label>
      <label>For the instant
        <input value={wish.logical_time} placeholder="optional, as 2026-01-31T00:00:00Z" onInput={(event) => setWish({ ...wish, logical_time: event.currentTarget.value })} />
        <small>{wish.logical_time && wish.run_key ? 'A run has one or the other: an instant or a key.' : 'One run for each instant, as if a schedule had begun it.'}</small>
      </label>
      <label>Priority
        <select value={wish.priority} onChange={(event) => setWish({ ...wish, priority: event.currentTarget.value })}>
          <option value="">as the job says</option><option value="P0">P0, urgent</option><option>P1</option><option>P2</option>
        </select>
      </label>
      <div><button type="submit" class="main" disabled={isWrong}>Start {job.job}…</button></div>
    </form>
  );
}

/** A run once more, with some of its parameters changed. */
export function RerunForm({ job, run }: { job: Job; run: Run }) {
  const fields = fieldsOf(job);
  const form = useFields(fields, run.parameters ?? {});
  if (!fields.length) return null;
  return (
    <form class="form" onSubmit={(event) => { event.preventDefault(); if (!form.isWrong) ask(rerunWith(run.run_id, form.changed)); }}>
      <Fields form={form} />
      <div><button type="submit" disabled={form.isWrong}>Rerun with these values…</button></div>
    </form>
  );
}

function Input({ field, text, set }: { field: Field; text: string; set: (text: string) => void }) {
  if (field.choices || field.type === 'boolean') {
    const choices = field.choices ?? [true, false];
    return (
      <select value={text} onChange={(event) => set(event.currentTarget.value)}>
        {choices.map((choice) => <option key={String(choice)} value={shown(choice, field.type)}>{String(choice)}</option>)}
      </select>
    );
  }
  if (field.type === 'json') return <textarea rows={3} value={text} onInput={(event) => set(event.currentTarget.value)} />;
  const isNumber = field.type !== 'string';
  return <input value={text} inputMode={isNumber ? 'decimal' : undefined} onInput={(event) => set(event.currentTarget.value)} />;
}
