import { type Export, MASK, toTimestamp } from '@vedette/shared'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { encodeId } from '../../platform/ids.ts'
import { decryptHeaders } from './secret.ts'
import { faultOf } from './losing.ts'
import { MANAGED_NAME } from './managed.ts'
import type { ExportRow } from './store.ts'

/** As of what files manage. */
const MANAGED = { owner: `setting:${MANAGED_NAME}`, ref: MANAGED_NAME, file: null, line: null }

/** With the names of its headers alone. */
export function toExport(row: ExportRow, encrypter: Encrypter, nowMs: number): Export {
  const received = {
    hosts: row.cursor_received_at,
    entities: row.entity_cursor_received_at,
    series: row.series_cursor_received_at,
  }
  const oldestMs = Math.min(...row.samples.map((kind) => received[kind]))
  const names = Object.keys(decryptHeaders(encrypter, row) ?? {})
  return {
    id: encodeId('export', row.id),
    name: row.name,
    kind: row.kind,
    url: row.url,
    headers: Object.fromEntries(names.map((name) => [name, MASK])),
    samples: row.samples,
    enabled: row.enabled,
    managed: row.is_managed ? MANAGED : null,
    state: {
      last_sent_at: row.last_sent_at && toTimestamp(row.last_sent_at.getTime()),
      lag_seconds: Math.max(0, Math.floor((nowMs - oldestMs) / 1_000)),
      last_error: faultOf(row),
      samples_sent: row.samples_sent,
      samples_dropped: row.samples_dropped,
      samples_skipped: row.samples_skipped,
    },
    created_at: toTimestamp(row.created_at.getTime()),
    updated_at: toTimestamp(row.updated_at.getTime()),
  }
}
