import type { Configuration } from '@vedette/shared'
import { stringify } from 'yaml'

/** A document for each resource, after the warnings as comments. Pure. */
export const toYaml = ({ resources, warnings }: Configuration): string =>
  warnings.map((warning) => `# ${warning.replaceAll(/\s+/g, ' ')}\n`).join('') +
  resources.map((resource) => stringify(resource, { lineWidth: 0 })).join('---\n')
