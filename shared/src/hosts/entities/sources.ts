/** What the agent reads only where the host has it, and what the backend can switch off: the local configuration decides first. */
export const OPTIONAL_SOURCES = ['containers', 'disks', 'units', 'gpus', 'ups'] as const
export type OptionalSource = (typeof OPTIONAL_SOURCES)[number]
