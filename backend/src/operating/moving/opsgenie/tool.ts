import type { Tool } from '../tool.ts'
import { addressesOfOpsgenie } from './addresses.ts'
import { readOpsgenie } from './read.ts'
import { renderedByOpsgenie } from './rendered.ts'

export const opsgenie: Tool = {
  title: 'Opsgenie',
  read: readOpsgenie,
  rendered: renderedByOpsgenie,
  addresses: addressesOfOpsgenie,
}
