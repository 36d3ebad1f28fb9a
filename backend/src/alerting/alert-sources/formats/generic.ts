import { hash } from 'node:crypto'
import type { AlertSourceTemplate } from '@vedette/shared'
import { invalid } from '../../../platform/errors.ts'
import { instantOf } from './alertmanager.ts'
import type { AlertFormat, ReceivedAlert } from './format.ts'

/** What the templates of a source made of a body. */
export type RenderedFields = { [Field in keyof AlertSourceTemplate]: string }

const STATUSES: Readonly<Record<string, ReceivedAlert['status']>> = {
  resolved: 'resolved',
  ok: 'resolved',
  up: 'resolved',
  closed: 'resolved',
  close: 'resolved',
  resolve: 'resolved',
  recovery: 'resolved',
  recovered: 'resolved',
  inactive: 'resolved',
  normal: 'resolved',
  acknowledged: 'acknowledged',
  acknowledge: 'acknowledged',
  commented: 'commented',
  comment: 'commented',
}

/** Any JSON. Where a template says nothing the fields of the body with the same names count. */
export const generic: AlertFormat = { read: ({ body }) => readGeneric(body, {}) }

/** The one alert of a body. Pure. */
export function readGeneric(body: unknown, rendered: RenderedFields): { alerts: ReceivedAlert[]; faults: string[] } {
  if (typeof body !== 'object' || body === null) throw invalid({ path: '', message: 'must be a JSON object' })
  const fields = body as Record<string, unknown>
  const textOf = (name: keyof AlertSourceTemplate): string | null => {
    const own = rendered[name]
    if (own !== undefined) return own.trim() === '' ? null : own.trim()
    return plainText(fields[name])
  }
  const title = textOf('title') ?? plainText(fields['message'])
  if (title === null)
    throw invalid({ path: 'title', message: 'must be a text, or the template of the source must make one of the body' })
  const labels = fields['labels']
  return {
    alerts: [
      {
        key: textOf('key') ?? hash('sha256', `${plainText(fields['id']) ?? ''}|${plainText(fields['title']) ?? ''}`),
        status: STATUSES[(textOf('status') ?? '').toLowerCase()] ?? 'firing',
        title,
        severity: textOf('severity'),
        labels: isObject(labels)
          ? Object.fromEntries(
              Object.entries(labels).flatMap(([name, value]) => {
                const text = plainText(value)
                return text === null ? [] : [[name, text]]
              }),
            )
          : {},
        text: plainText(fields['text']) ?? plainText(fields['description']),
        url: textOf('url'),
        startsAtMs: instantOf(fields['starts_at']),
        endsAtMs: instantOf(fields['ends_at']),
        by: plainText(fields['by']),
      },
    ],
    faults: [],
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function plainText(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value : null
}
