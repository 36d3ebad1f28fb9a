import type { Static } from 'typebox'
import type {
  AcceptedAnswer,
  ChangeEmailBody,
  ChangePasswordBody,
  DeleteAccountBody,
  Me,
  Membership,
  PasswordResetConfirmBody,
  PatchMembershipBody,
  QuietTime,
  SavedView,
  TotpBody,
  SessionItem,
  SessionList,
  TotpSetup,
  TotpState,
} from '../access/account.ts'
import type { PushSubscriptionBody, PushSubscriptionItem, PushSubscriptionList } from '../notifying/push-subscriptions.ts'
import type { LoginBody, Session, SetupBody, SetupState } from '../access/auth.ts'
import { ORGANIZATION_ID, PAGE, TOKEN, USER_ID } from './common.ts'

const session: SessionItem = {
  id: 'ses_01m7ynqmvhef3v0qj0h7d9m2cs',
  current: true,
  remembered: false,
  ip: '203.0.113.7',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  created_at: '2026-11-21T09:06:55.000Z',
  last_used_at: '2026-11-21T09:11:14.000Z',
  expires_at: '2026-11-21T21:06:55.000Z',
}

/** The keys of RFC 8291, appendix A. */
const browserKeys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}

const browser: PushSubscriptionItem = {
  id: 'psh_01m7ynqmvhef3v0qj0h7d9m2cs',
  endpoint_sha256: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  created_at: '2026-11-21T09:06:55.000Z',
  last_error: null,
}

const savedView: SavedView = { list: 'monitors', name: 'Broken shops', query: 'status=down&tag=shop' }

const membership: Membership = {
  id: ORGANIZATION_ID,
  name: 'Example',
  role: 'viewer',
  permissions: ['read', 'org:read'],
  joined_at: '2026-11-21T09:06:55.000Z',
  needs_second_factor: false,
  weekly_summary: false,
  saved_views: [savedView],
  quiet_time: null,
}

const quietTime: QuietTime = { time_zone: 'Europe/Berlin', from: '22:00', to: '07:00', critical_passes: true }

export const ACCOUNT_EXAMPLES = {
  SetupState: { example: { required: true } satisfies Static<typeof SetupState> },
  SetupBody: {
    example: {
      code: 'tXiHvHuWNdS8hfsJ7YHMgsTo',
      email: 'ada@example.com',
      password: 'correct horse battery',
      organization: 'Example',
    } satisfies SetupBody,
  },
  LoginBody: {
    example: { email: 'ada@example.com', password: 'correct horse battery' } satisfies LoginBody,
    remembered: { email: 'ada@example.com', password: 'correct horse battery', remember: true } satisfies LoginBody,
    withSecondFactor: { email: 'ada@example.com', password: 'correct horse battery', totp_code: '123456' } satisfies LoginBody,
  },
  Session: { example: { token: TOKEN, expires_at: '2026-11-21T21:06:55.000Z' } satisfies Session },
  PushSubscriptionBody: {
    example: {
      endpoint: 'https://push.example.com/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV',
      keys: browserKeys,
    } satisfies PushSubscriptionBody,
  },
  PushSubscriptionItem: { example: browser },
  PushSubscriptionList: {
    example: { push_subscriptions: [browser], public_key: browserKeys.p256dh, ...PAGE } satisfies PushSubscriptionList,
  },
  PasswordResetBody: { example: { email: 'ada@example.com' } },
  Accepted: { example: {} satisfies AcceptedAnswer },
  PasswordResetConfirmBody: {
    example: {
      token: 'pN3dQ0hVbXlM5yKc8sRz1TjWfGaUe7Ox2iYv4kLqB9Q',
      new_password: 'a new and better phrase',
    } satisfies PasswordResetConfirmBody,
  },
  ChangePasswordBody: {
    example: {
      current_password: 'correct horse battery',
      new_password: 'a new and better phrase',
    } satisfies ChangePasswordBody,
  },
  ChangeEmailBody: { example: { email: 'ada@example.org', password: 'correct horse battery' } satisfies ChangeEmailBody },
  DeleteAccountBody: { example: { password: 'correct horse battery' } satisfies DeleteAccountBody },
  VerifyEmailBody: { example: { token: 'q3Vd8JYk1nVtS7cQ0mXw2pBz5rGh9eLa4uTf6iNyRoK' } },
  VerifiedEmail: { example: { email: 'ada@example.org' } },
  Me: {
    example: {
      id: USER_ID,
      email: 'ada@example.com',
      email_verified: true,
      pending_email: null,
      totp_enabled: false,
      identity_provider_id: null,
      created_at: '2026-11-21T09:06:55.000Z',
      organizations: [membership],
    } satisfies Me,
  },
  SavedView: { example: savedView },
  QuietTime: { example: quietTime },
  Membership: { example: membership },
  PatchMembershipBody: {
    example: { weekly_summary: true } satisfies PatchMembershipBody,
    views: { saved_views: [savedView] } satisfies PatchMembershipBody,
    quiet: { quiet_time: quietTime } satisfies PatchMembershipBody,
  },
  SessionList: { example: { sessions: [session], ...PAGE } satisfies SessionList },
  TotpState: {
    on: { enabled: true, enabled_at: '2026-11-21T09:20:03.000Z', recovery_codes_left: 10 } satisfies TotpState,
    off: { enabled: false, enabled_at: null, recovery_codes_left: 0 } satisfies TotpState,
  },
  TotpBody: {
    start: {},
    withCode: { code: '123456' } satisfies TotpBody,
    withPassword: { password: 'correct horse battery' } satisfies TotpBody,
  },
  TotpSetup: {
    example: {
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      otpauth_url: 'otpauth://totp/Vedette:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Vedette',
      recovery_codes: ['k3vq-8r2m-x5tz', 'w9nd-4hjc-b7pe'],
    } satisfies TotpSetup,
  },
}
