import { type Annotation, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import type { AnnotationRow } from './store.ts'

export const toAnnotation = (row: AnnotationRow): Annotation => ({
  id: encodeId('annotation', row.id),
  at: toTimestamp(row.at.getTime()),
  text: row.text,
  tags: row.tags,
  server_id: row.server_id && encodeId('server', row.server_id),
  monitor_id: row.monitor_id && encodeId('monitor', row.monitor_id),
  url: row.url,
  created_at: toTimestamp(row.created_at.getTime()),
})
