import type { Tool } from '../tool.ts'
import { addressesOfOpsgenie } from './addresses.ts'
import { alertsOfOpsgenie } from './alerts.ts'
import { fetchAlerts } from './fetch-alerts.ts'
import { fetchOpsgenie } from './fetch.ts'
import { readOpsgenie } from './read.ts'
import { renderedByOpsgenie } from './rendered.ts'

export const opsgenie: Tool = {
  title: 'Opsgenie',
  read: readOpsgenie,
  rendered: renderedByOpsgenie,
  addresses: addressesOfOpsgenie,
  history: alertsOfOpsgenie,
  api: {
    url: 'https://api.opsgenie.com',
    otherUrl: 'https://api.eu.opsgenie.com',
    credentials: ['OPSGENIE_API_KEY'],
    headers: ([key = '']) => ({ authorization: `GenieKey ${key}` }),
    atOnce: 4,
  },
  fetch: fetchOpsgenie,
  fetchHistory: fetchAlerts,
}
