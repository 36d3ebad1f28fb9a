import type { Configuration } from '@vedette/shared'
import { stringify } from 'yaml'

/** A document for each resource. Pure. */
export const toYaml = ({ resources }: Configuration): string =>
  resources.map((resource) => stringify(resource, { lineWidth: 0 })).join('---\n')
