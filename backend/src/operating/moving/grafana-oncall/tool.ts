import type { Tool } from '../tool.ts'
import { addressesOfGrafana } from './addresses.ts'
import { readGrafanaOnCall } from './read.ts'
import { renderedByGrafana } from './rendered.ts'

export const grafanaOnCall: Tool = {
  title: 'Grafana OnCall',
  read: readGrafanaOnCall,
  rendered: renderedByGrafana,
  addresses: addressesOfGrafana,
}
