import type { Tool } from '../tool.ts'
import { addressesOfPagerDuty } from './addresses.ts'
import { incidentsOfPagerDuty } from './incidents.ts'
import { fetchIncidents } from './fetch-incidents.ts'
import { fetchPagerDuty } from './fetch.ts'
import { readPagerDuty } from './read.ts'
import { renderedByPagerDuty } from './rendered.ts'

export const pagerDuty: Tool = {
  title: 'PagerDuty',
  read: readPagerDuty,
  rendered: renderedByPagerDuty,
  addresses: addressesOfPagerDuty,
  history: incidentsOfPagerDuty,
  api: {
    url: 'https://api.pagerduty.com',
    otherUrl: 'https://api.eu.pagerduty.com',
    credentials: ['PAGERDUTY_API_TOKEN'],
    headers: ([token = '']) => ({
      authorization: `Token token=${token}`,
      accept: 'application/vnd.pagerduty+json;version=2',
    }),
    atOnce: 4,
  },
  fetch: fetchPagerDuty,
  fetchHistory: fetchIncidents,
}
