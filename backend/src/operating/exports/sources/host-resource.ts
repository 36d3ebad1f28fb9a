import { encodeId } from '../../../platform/ids.ts'
import type { HostRow } from '../../prometheus/index.ts'
import type { Resource } from '../series/exported-series.ts'

/** By the instance a receiver that reads services alone knows one host from another. */
export function resourceOfHost({ id, name }: HostRow): Resource {
  const serverId = encodeId('server', id)
  const attributes = { 'host.name': name, 'host.id': serverId, 'service.name': 'vedette', 'service.instance.id': serverId }
  return { id: serverId, attributes, scope: 'vedette' }
}
