import type { Tool } from '../tool.ts'
import { readSplunkOnCall } from './read.ts'
import { renderedBySplunk } from './rendered.ts'

export const splunkOnCall: Tool = {
  title: 'Splunk On-Call',
  read: readSplunkOnCall,
  rendered: renderedBySplunk,
  // Its senders name a routing key, which does not come.
  addresses: () => [],
}
