import { type OldAddress, withoutKey } from '../address.ts'
import type { SourceFiles } from '../files.ts'
import { textOf } from '../json.ts'
import { refOf } from '../model.ts'
import { integrationsIn } from './read.ts'

/** Of integrations. Pure. */
export const addressesOfGrafana = (files: SourceFiles): OldAddress[] =>
  integrationsIn(files).map((integration) => ({
    name: textOf(integration['name']),
    ref: `alert_source:${refOf('grafana-oncall', 'integrations', textOf(integration['id']))}`,
    old: [textOf(integration['inbound_email']), withoutKey(textOf(integration['link']))].filter((one) => one !== ''),
  }))
