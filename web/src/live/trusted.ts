// Trusted Types: the one policy of this page, which lets scripts of its own folder be started as workers.

import { base } from '../url/route';

interface Policy {
  createScriptURL(url: string): string;
}
interface Factory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): Policy;
}

let policy: Policy | undefined;

export function trusted(script: string): string {
  const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
  if (!factory) return script;
  policy ??= factory.createPolicy('mainspring', {
    createScriptURL(url) {
      const below = url.startsWith(base) ? url.slice(base.length) : '';
      if (!/^\/ui\/assets\/[\w.-]+\.js$/.test(below)) throw new TypeError(`not a script of this page: ${url}`);
      return url;
    },
  });
  return policy.createScriptURL(script);
}
