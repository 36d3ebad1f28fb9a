import { endOf, type OldAddress } from '../address.ts'
import type { SourceFiles } from '../files.ts'
import { type Json, listOf, textOf } from '../json.ts'
import { refOf } from '../model.ts'
import { servicesIn } from './read.ts'

/** Of the integrations of services. Pure. */
export const addressesOfPagerDuty = (files: SourceFiles): OldAddress[] =>
  servicesIn(files).map((service) => ({
    name: textOf(service['name']) || textOf(service['summary']),
    ref: `alert_source:${refOf('pagerduty', 'services', textOf(service['id']))}`,
    old: listOf(service['integrations']).flatMap(addressesOf),
  }))

function addressesOf(integration: Json): string[] {
  const [key, mail] = [textOf(integration['integration_key']), textOf(integration['integration_email'])]
  if (mail !== '') return [mail]
  return key === '' ? [] : [`https://events.pagerduty.com/v2/enqueue with routing key ${endOf(key)}`]
}
