import type { ChannelType } from '@vedette/shared'
import type { ChannelKind } from '../messages/message.ts'
import { apprise } from './apprise.ts'
import { discord } from './discord.ts'
import { email } from './email.ts'
import { googleChat } from './google-chat.ts'
import { gotify } from './gotify.ts'
import { grafanaOncall } from './grafana-oncall.ts'
import { homeAssistant } from './home-assistant.ts'
import { http } from './http.ts'
import { matrix } from './matrix.ts'
import { mattermost } from './mattermost.ts'
import { ntfy } from './ntfy.ts'
import { opsgenie } from './opsgenie.ts'
import { pagerduty } from './pagerduty.ts'
import { pushover } from './pushover.ts'
import { rocketChat } from './rocket-chat.ts'
import { signal } from './signal.ts'
import { slack } from './slack.ts'
import { sns } from './sns.ts'
import { splunkOncall } from './splunk-oncall.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
import { twilioSms } from './twilio-sms.ts'
import { twilioVoice } from './twilio-voice.ts'
import { webhook } from './webhook.ts'

/** Every channel type: a new one is its file, its line here, and its config in `shared/src/notifying/channel-types.ts`. */
export const CHANNEL_KINDS: Readonly<Record<ChannelType, ChannelKind>> = {
  webhook,
  email,
  slack,
  discord,
  teams,
  telegram,
  mattermost,
  rocket_chat: rocketChat,
  google_chat: googleChat,
  matrix,
  signal,
  ntfy,
  gotify,
  pushover,
  home_assistant: homeAssistant,
  apprise,
  twilio_sms: twilioSms,
  twilio_voice: twilioVoice,
  sns,
  pagerduty,
  opsgenie,
  splunk_oncall: splunkOncall,
  grafana_oncall: grafanaOncall,
  http,
}
