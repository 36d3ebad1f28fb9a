import type { Tool } from '../tool.ts'
import { fetchSplunkOnCall } from './fetch.ts'
import { readSplunkOnCall } from './read.ts'
import { renderedBySplunk } from './rendered.ts'
import { addressesOfSplunk } from './routing-keys.ts'

export const splunkOnCall: Tool = {
  title: 'Splunk On-Call',
  read: readSplunkOnCall,
  rendered: renderedBySplunk,
  addresses: addressesOfSplunk,
  api: {
    url: 'https://api.victorops.com',
    credentials: ['SPLUNK_API_ID', 'SPLUNK_API_KEY'],
    headers: ([id = '', key = '']) => ({ 'x-vo-api-id': id, 'x-vo-api-key': key }),
    atOnce: 1,
    // Most of its endpoints take two requests a second.
    everyMs: 500,
  },
  fetch: fetchSplunkOnCall,
}
