import type { ChannelType } from '@vedette/shared'
import type { ChannelKind } from '../messages/message.ts'
import { discord } from './discord.ts'
import { email } from './email.ts'
import { gotify } from './gotify.ts'
import { ntfy } from './ntfy.ts'
import { pagerduty } from './pagerduty.ts'
import { pushover } from './pushover.ts'
import { slack } from './slack.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'

/** Every channel type: a new one is its file, its line here, and its config in `shared/src/channel-types.ts`. */
export const CHANNEL_KINDS: Readonly<Record<ChannelType, ChannelKind>> = {
  webhook,
  email,
  slack,
  discord,
  teams,
  telegram,
  pagerduty,
  ntfy,
  gotify,
  pushover,
}
