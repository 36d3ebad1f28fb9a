import { ALL_FIELDS, type DimensionKind, type EntityField, type NamedField, slotFields } from '@vedette/shared'

/** A metric of OTLP: its name, unit and attributes, and what a value of ours is multiplied with. */
export interface OtlpMetric {
  name: string
  unit: string
  attributes: Readonly<Record<string, string>>
  factor: number
}

const metric = (name: string, unit: string, attributes: OtlpMetric['attributes'] = {}, factor = 1): OtlpMetric => ({
  name,
  unit,
  attributes,
  factor,
})
const ratio = (name: string, attributes: OtlpMetric['attributes']) => metric(name, '1', attributes, 0.01)
const cpu = (mode: string) => ratio('system.cpu.utilization', { 'cpu.mode': mode })
const tcp = (state: string) =>
  metric('system.network.connection.count', '{connection}', {
    'network.connection.state': state,
    'network.transport': 'tcp',
  })

/** Fields that mean what a metric of the semantic conventions means. */
const CONVENTIONS: Readonly<Record<string, OtlpMetric>> = {
  'cpu.user_percent': cpu('user'),
  'cpu.system_percent': cpu('system'),
  'cpu.iowait_percent': cpu('iowait'),
  'cpu.steal_percent': cpu('steal'),
  'cpu.cores': metric('system.cpu.logical.count', '{cpu}'),
  'cpu.load_1': metric('system.cpu.load_average.1m', '{thread}'),
  'cpu.load_5': metric('system.cpu.load_average.5m', '{thread}'),
  'cpu.load_15': metric('system.cpu.load_average.15m', '{thread}'),
  'memory.used_bytes': metric('system.memory.usage', 'By', { 'system.memory.state': 'used' }),
  'memory.total_bytes': metric('system.memory.limit', 'By'),
  'memory.percent': ratio('system.memory.utilization', { 'system.memory.state': 'used' }),
  'memory.swap_used_bytes': metric('system.paging.usage', 'By', { 'system.paging.state': 'used' }),
  'memory.swap_percent': ratio('system.paging.utilization', { 'system.paging.state': 'used' }),
  'tcp.established': tcp('established'),
  'tcp.syn_sent': tcp('syn_sent'),
  'tcp.syn_recv': tcp('syn_received'),
  'tcp.time_wait': tcp('time_wait'),
  'tcp.close_wait': tcp('close_wait'),
  'tcp.last_ack': tcp('last_ack'),
  'tcp.listen': tcp('listen'),
  'tcp.closing': tcp('closing'),
}

export const UNITS: Readonly<Partial<Record<NamedField['unit'] | EntityField['unit'], string>>> = {
  percent: '%',
  bytes: 'By',
  seconds: 's',
  days: 'd',
  celsius: 'Cel',
  volts: 'V',
  watts: 'W',
}

/** Metrics of fields of samples, by their number in blocks. */
export const OTLP_FIELDS: ReadonlyMap<number, OtlpMetric> = new Map(
  ALL_FIELDS.map(({ id, group, name, unit }) => [
    id,
    CONVENTIONS[`${group}.${name}`] ?? metric(`vedette.${group}.${name}`, UNITS[unit] ?? ''),
  ]),
)

const MOUNT = 'system.filesystem.mountpoint'

/** Metrics of the filesystem or interface in a slot, with the numbers of their fields. */
export function otlpSlot(kind: DimensionKind, slot: number, name: string): { id: number; metric: OtlpMetric }[] {
  return slotFields(kind, slot).map(({ id, name: field, unit }) => ({ id, metric: ofSlot(kind, field, name, UNITS[unit] ?? '') }))
}

function ofSlot(kind: DimensionKind, field: string, name: string, unit: string): OtlpMetric {
  if (kind === 'interface') return metric(`vedette.interface.${field}`, unit, { 'network.interface.name': name })
  if (field === 'used_bytes') return metric('system.filesystem.usage', unit, { [MOUNT]: name, 'system.filesystem.state': 'used' })
  if (field === 'total_bytes') return metric('system.filesystem.limit', unit, { [MOUNT]: name })
  return metric(`vedette.filesystem.${field}`, unit, { [MOUNT]: name })
}
