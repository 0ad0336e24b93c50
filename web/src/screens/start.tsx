// The form that starts a job: one field for each parameter of the job, of its type, filled with its default or with what
// an earlier run had.

import { useState } from 'preact/hooks';
import { startJob } from '../api/actions';
import type { Job, Run } from '../api/views';
import { ask } from '../ui/act';
import { Empty } from '../ui/basics';
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

export function StartForm({ job, last }: { job: Job; last: Run[] }) {
  const fields = Object.entries(job.definition?.parameters ?? {}).map(([name, declared]) => fieldOf(name, declared));
  const defaults = (from: Record<string, unknown> = {}) =>
    Object.fromEntries(fields.map((field) => [field.name, shown(from[field.name] ?? field.default, field.type)]));
  const [texts, setTexts] = useState<Record<string, string>>(defaults());
  const [runKey, setRunKey] = useState('');
  const read = fields.map((field) => [field, valueOf(field, texts[field.name] ?? '')] as const);
  const isWrong = read.some(([, { mistake }]) => mistake);
  const changed = read.filter(([field, { value }]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(field.default));
  const parameters = Object.fromEntries(changed.map(([field, { value }]) => [field.name, value]));
  const take = (id: string) => setTexts(defaults(last.find((run) => run.run_id === id)?.parameters));
  return (
    <form class="form" onSubmit={(event) => { event.preventDefault(); if (!isWrong) ask(startJob(job.job, job.tenant, parameters, runKey)); }}>
      {fields.length === 0 && <Empty title="This job takes no parameters" />}
      {fields.length > 0 && last.length > 0 && (
        <label>Take the values of
          <select onChange={(event) => take(event.currentTarget.value)}>
            <option value="">the job file</option>
            {last.map((run) => <option key={run.run_id} value={run.run_id}>{shortId(run.run_id)}, {run.state}, {run.created_at.slice(0, 16).replace('T', ' ')}</option>)}
          </select>
        </label>
      )}
      {read.map(([field, { mistake }]) => (
        <label key={field.name}>{field.name}{field.isRequired ? ' (needed)' : ''}
          <Input field={field} text={texts[field.name] ?? ''} set={(text) => setTexts({ ...texts, [field.name]: text })} />
          {field.description && <small>{field.description}</small>}
          {mistake && <small class="mistake" role="alert">{mistake}</small>}
        </label>
      ))}
      <label>Run key
        <input value={runKey} maxLength={200} placeholder="optional" onInput={(event) => setRunKey(event.currentTarget.value)} />
        <small>One run for each key: starting again with it gives the first run.</small>
      </label>
      <div><button type="submit" class="main" disabled={isWrong}>Start {job.job}…</button></div>
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
