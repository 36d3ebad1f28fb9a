import { ALL_FIELDS, type DimensionKind, ENTITY_KINDS, type EntityField, type EntityKindName } from '@vedette/shared'
import type { Family } from './format.ts'

const gauge = (name: string, help: string): Family => ({ name, type: 'gauge', help })

/** How a figure is published. */
export interface Published {
  family: Family
  /** In addition to those of its host or entity. */
  labels?: Readonly<Record<string, string>>
  /** What a value is multiplied with: Prometheus counts in seconds and bytes. */
  factor: number
}

const publish = (name: string, help: string, factor = 1): Published => ({ family: gauge(name, help), factor })

export const HOST_FAMILIES = {
  info: { name: 'vedette_host_info', type: 'info', help: 'What a host is; tags are between commas.' },
  bootTime: gauge('node_boot_time_seconds', 'Unix time of the start of the host.'),
  sampledAt: gauge('vedette_host_sampled_timestamp_seconds', 'Unix time of the newest sample of the host.'),
  available: gauge('node_memory_MemAvailable_bytes', 'Memory that is available without swapping, with the cache of ZFS.'),
  swapFree: gauge('node_memory_SwapFree_bytes', 'Swap that is not in use.'),
} as const satisfies Record<string, Family>

/** Fields of samples whose names here are others than `vedette_<group>_<field>`. */
const HOST_NAMES: Readonly<Record<string, Published>> = {
  'cpu.load_1': publish('node_load1', 'Load, mean of 1 minute.'),
  'cpu.load_5': publish('node_load5', 'Load, mean of 5 minutes.'),
  'cpu.load_15': publish('node_load15', 'Load, mean of 15 minutes.'),
  'memory.total_bytes': publish('node_memory_MemTotal_bytes', 'Memory of the host.'),
  'memory.swap_total_bytes': publish('node_memory_SwapTotal_bytes', 'Swap of the host.'),
  'disk.read_iops': publish('vedette_disk_reads_per_second', 'Reads of all physical disks.'),
  'disk.write_iops': publish('vedette_disk_writes_per_second', 'Writes of all physical disks.'),
  'disk.read_throughput_bps': publish('vedette_disk_read_bytes_per_second', 'Bytes read from all physical disks.'),
  'disk.write_throughput_bps': publish('vedette_disk_write_bytes_per_second', 'Bytes written to all physical disks.'),
}

const SLOT_NAMES: Readonly<Record<string, Published>> = {
  'mount.used_bytes': publish('vedette_filesystem_used_bytes', 'Bytes in use of a filesystem.'),
  'mount.total_bytes': publish('node_filesystem_size_bytes', 'Size of a filesystem.'),
  'mount.percent': publish('vedette_filesystem_used_percent', 'Used share of what is not reserved for root, as in df.'),
  'interface.rx_bytes_per_sec': publish('vedette_interface_receive_bytes_per_second', 'Bytes received by an interface.'),
  'interface.tx_bytes_per_sec': publish('vedette_interface_transmit_bytes_per_second', 'Bytes sent by an interface.'),
}

/** Fields of entities: cAdvisor's names where the meaning is the same, and names that a linter of metrics accepts. */
const ENTITY_NAMES: Readonly<Record<string, Published>> = {
  'container.memory_bytes': publish(
    'container_memory_working_set_bytes',
    'Memory of a container without its inactive page cache.',
  ),
  'container.memory_limit_bytes': publish('container_spec_memory_limit_bytes', 'Memory limit of a container.'),
  'process.count': publish('vedette_process_running', 'How many processes of the name run.'),
  'disk.power_on_hours': publish('vedette_disk_power_on_seconds', 'Time that a disk was powered on.', 3_600),
  'updates.oldest_days': publish(
    'vedette_updates_oldest_seconds',
    'Time since the oldest pending update was first seen.',
    86_400,
  ),
  'updates.lists_age_days': publish('vedette_updates_lists_age_seconds', 'Age of the lists of packages.', 86_400),
}

/** `rx_bytes_per_sec` → `receive_bytes_per_second`. */
const spellOut = (name: string): string =>
  name
    .replace(/(^|_)rx_/, '$1receive_')
    .replace(/(^|_)tx_/, '$1transmit_')
    .replace(/_per_sec$/, '_per_second')

const hostFigure = (group: string, name: string): Published => {
  // Prometheus sums over labels.
  if (group === 'tcp' && !name.endsWith('_per_sec'))
    return { ...publish('vedette_tcp_connections', 'TCP connections by state.'), labels: { state: name } }
  return HOST_NAMES[`${group}.${name}`] ?? publish(`vedette_${group}_${spellOut(name)}`, `${group}.${name} of samples.`)
}

/** Fields of samples by their number in blocks. */
export const HOST_FIGURES: ReadonlyMap<number, Published> = new Map(
  ALL_FIELDS.map(({ id, group, name }) => [id, hostFigure(group, name)]),
)

/** Fields of mounts and interfaces, as `mount.percent`. */
export const slotFigure = (kind: DimensionKind, name: string): Published | undefined => SLOT_NAMES[`${kind}.${name}`]

const ENTITY_FIGURES = new Map(
  (Object.keys(ENTITY_KINDS) as EntityKindName[]).flatMap((kind) =>
    Object.keys(ENTITY_KINDS[kind].fields as Record<string, EntityField>).map((name) => {
      const key = `${kind}.${name}`
      return [key, ENTITY_NAMES[key] ?? publish(`vedette_${kind}_${spellOut(name)}`, `${name} of entities of kind ${kind}.`)]
    }),
  ),
)

export const entityFigure = (kind: EntityKindName, name: string): Published | undefined => ENTITY_FIGURES.get(`${kind}.${name}`)

const OURS = new Set(
  [
    ...Object.values(HOST_FAMILIES),
    ...[...HOST_FIGURES.values(), ...Object.values(SLOT_NAMES), ...ENTITY_FIGURES.values()].map(({ family }) => family),
  ].map(({ name }) => name),
)

/** Whether a name has a meaning here, so that a metric of a host's own cannot have it. */
export const isOurs = (name: string): boolean => OURS.has(name)

/** Attributes that are labels: few, and those that stay the same while the entity does. Those of containers are called as cAdvisor's. */
const LABELS_OF_ATTRIBUTES: Readonly<Partial<Record<EntityKindName, Readonly<Record<string, string>>>>> = {
  container: {
    image: 'image',
    project: 'container_label_com_docker_compose_project',
    service: 'container_label_com_docker_compose_service',
  },
  sensor: { chip: 'chip', label: 'label' },
  disk: { model: 'model', serial: 'serial' },
  array: { type: 'type', level: 'level' },
  battery: { type: 'type', model: 'model' },
  gpu: { model: 'model', uuid: 'uuid' },
}

/** Of an entity, in addition to those of its host. */
export function entityLabels(
  kind: EntityKindName,
  name: string,
  attributes: Readonly<Record<string, string>>,
): Record<string, string> {
  const more = Object.entries(LABELS_OF_ATTRIBUTES[kind] ?? {}).flatMap(([attribute, label]) => {
    const text = attributes[attribute]
    return text === undefined || text === '' ? [] : [[label, text] as const]
  })
  return { name, ...Object.fromEntries(more) }
}
