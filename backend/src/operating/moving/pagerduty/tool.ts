import type { Tool } from '../tool.ts'
import { addressesOfPagerDuty } from './addresses.ts'
import { readPagerDuty } from './read.ts'
import { renderedByPagerDuty } from './rendered.ts'

export const pagerDuty: Tool = {
  title: 'PagerDuty',
  read: readPagerDuty,
  rendered: renderedByPagerDuty,
  addresses: addressesOfPagerDuty,
}
