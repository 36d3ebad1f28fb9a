import type { CreateExportBody, Export, PatchExportBody } from '@vedette/shared'

/** All that can be sent, in the order in which it is shown. */
export const SAMPLES = ['hosts', 'entities', 'series'] as const satisfies Export['samples']

export interface Input {
  name: string
  kind: Export['kind']
  url: string
  /** `Name: value`, one a line. */
  headers: string
  samples: Export['samples']
  enabled: boolean
}

export const toInput = (one: Export | undefined): Input => ({
  name: one?.name ?? '',
  kind: one?.kind ?? 'remote_write',
  url: one?.url ?? '',
  headers: Object.entries(one?.headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
  samples: one?.samples ?? [...SAMPLES],
  enabled: one?.enabled ?? true,
})

/** A line without a colon is a header without a value. */
function toHeaders(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.includes(':') ? line.indexOf(':') : line.length
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

export const toPatch = ({ name, url, headers, samples, enabled }: Input) =>
  ({ name, url: url.trim(), headers: toHeaders(headers), samples, enabled }) satisfies PatchExportBody

export const toBody = (input: Input): CreateExportBody => ({ ...toPatch(input), kind: input.kind })
