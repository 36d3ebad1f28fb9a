import type { Tool } from '../tool.ts'
import { addressesOfGrafana } from './addresses.ts'
import { alertGroupsOfGrafana } from './alert-groups.ts'
import { readGrafanaDump } from './dump/read-dump.ts'
import { fetchAlertGroups } from './fetch-alert-groups.ts'
import { fetchGrafanaOnCall } from './fetch.ts'
import { readGrafanaOnCall } from './read.ts'
import { renderedByGrafana } from './rendered.ts'

export const grafanaOnCall: Tool = {
  title: 'Grafana OnCall',
  readDatabase: readGrafanaDump,
  read: readGrafanaOnCall,
  rendered: renderedByGrafana,
  addresses: addressesOfGrafana,
  history: alertGroupsOfGrafana,
  api: {
    url: undefined,
    credentials: ['ONCALL_API_TOKEN'],
    headers: ([token = '']) => ({ authorization: token }),
    atOnce: 2,
  },
  fetch: fetchGrafanaOnCall,
  fetchHistory: fetchAlertGroups,
}
