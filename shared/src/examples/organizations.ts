import type { ApiKey, ApiKeyList, CreateApiKeyBody, NewApiKey } from '../access/api-keys.ts'
import type {
  CreateEnrollmentTokenBody,
  EnrollmentToken,
  EnrollmentTokenList,
  NewEnrollmentToken,
} from '../hosts/enrollment-tokens.ts'
import type { AuditList } from '../access/audit.ts'
import type { SecurityEventList } from '../access/security-log.ts'
import type {
  AcceptInvitationBody,
  Invitation,
  InviteBody,
  Member,
  NewInvitation,
  Organization,
} from '../access/organizations.ts'
import { ORGANIZATION_ID, PAGE, SERVER_ID, USER_ID } from './common.ts'

const organization: Organization = {
  id: ORGANIZATION_ID,
  name: 'Example',
  plan: 'enterprise',
  member_count: 2,
  monitor_count: 0,
  server_count: 1,
  require_second_factor: false,
  api_key_max_days: null,
  created_at: '2026-11-21T09:06:55.000Z',
}

const member: Member = {
  id: USER_ID,
  email: 'ada@example.com',
  email_verified: true,
  role: 'owner',
  joined_at: '2026-11-21T09:06:55.000Z',
}

const invitation: Invitation = {
  id: 'inv_01m7yp0qcye5r8a2zk3f1w7m9d',
  email: 'grace@example.com',
  role: 'member',
  invited_at: '2026-11-21T09:11:14.000Z',
  expires_at: '2026-11-28T09:11:14.000Z',
}

const enrollmentToken: EnrollmentToken = {
  id: 'enr_01m7ynzhj1f2r9v5c8k0w3m7tb',
  prefix: 'vdt_enr_7Hq2Lm',
  uses: 20,
  uses_left: 20,
  tags: ['prod'],
  created_by: USER_ID,
  created_at: '2026-11-21T09:06:56.374Z',
  expires_at: '2026-11-21T11:06:56.374Z',
  revoked_at: null,
}

const apiKey: ApiKey = {
  id: 'key_01m7ynt4b0fmk9hs3w2q7c5xzn',
  name: 'web servers',
  prefix: 'vdt_key_7Hq2Lm',
  scopes: ['agent'],
  created_by: USER_ID,
  created_at: '2026-11-21T09:08:01.000Z',
  allowed_cidrs: [],
  ends_with_creator: false,
  last_used_at: null,
  expires_at: '2027-11-21T00:00:00.000Z',
  revoked_at: null,
}

export const ORGANIZATION_EXAMPLES = {
  OrganizationList: {
    example: {
      organizations: [{ id: ORGANIZATION_ID, name: 'Example', role: 'owner', created_at: organization.created_at }],
      ...PAGE,
      limit: 100,
    },
  },
  OrganizationBody: { example: { name: 'Example' } },
  PatchOrganizationBody: {
    example: { name: 'Example', require_second_factor: true, api_key_max_days: 90 },
    rename: { name: 'Example' },
  },
  DeleteOrganizationBody: { example: { name: 'Example' } },
  Organization: { example: organization },
  MemberList: { example: { members: [member], ...PAGE, limit: 100 } },
  Member: { example: member },
  PatchMemberBody: { example: { role: 'admin' } },
  InviteBody: { example: { email: 'grace@example.com', role: 'member' } satisfies InviteBody },
  InvitationList: { example: { invitations: [invitation], ...PAGE } },
  NewInvitation: {
    example: invitation satisfies NewInvitation,
    withoutMail: {
      ...invitation,
      accept_url: 'https://vedette.example.com/invitations/accept?token=q8Yt2LxVbN5mKc0sRz7TjWfGaUe1Ox3iPv4kHqD9B6M',
    } satisfies NewInvitation,
  },
  AcceptInvitationBody: {
    example: {
      token: 'q8Yt2LxVbN5mKc0sRz7TjWfGaUe1Ox3iPv4kHqD9B6M',
      password: 'correct horse battery',
    } satisfies AcceptInvitationBody,
  },
  CreateApiKeyBody: {
    example: { name: 'web servers', scopes: ['agent'], expires_at: '2027-11-21T00:00:00.000Z' } satisfies CreateApiKeyBody,
  },
  NewApiKey: { example: { ...apiKey, key: 'vdt_key_7Hq2LmVbN5mKc0sRz8TjWfGaUe1Ox3iPv4kYqD9B6ML2xTw0ZaEn' } satisfies NewApiKey },
  ApiKeyList: { example: { api_keys: [apiKey], ...PAGE } satisfies ApiKeyList },
  CreateEnrollmentTokenBody: {
    example: { uses: 20, expires_in_minutes: 120, tags: ['prod'] } satisfies CreateEnrollmentTokenBody,
  },
  NewEnrollmentToken: {
    example: {
      ...enrollmentToken,
      token: 'vdt_enr_7Hq2LmVbN5mKc0sRz8TjWfGaUe1Ox3iPv4kYqD9B6ML2xTw0ZaEn',
    } satisfies NewEnrollmentToken,
  },
  EnrollmentTokenList: { example: { enrollment_tokens: [enrollmentToken], ...PAGE } satisfies EnrollmentTokenList },
  AuditList: {
    example: {
      audit_events: [
        {
          id: 'aud_01m7ynzhj1f2r9v5c8k0w3m7tb',
          at: '2026-11-21T09:06:56.374Z',
          actor: { type: 'api_key', id: apiKey.id, name: 'web servers', email: null },
          action: 'server.registered',
          target: { type: 'server', id: SERVER_ID },
          ip: '203.0.113.7',
          details: { hostname: 'web-1' },
        },
      ],
      ...PAGE,
    } satisfies AuditList,
  },
  SecurityEventList: {
    example: {
      security_events: [
        {
          id: 'sec_01m7ynzhj1f2r9v5c8k0w3m7tb',
          at: '2026-11-21T09:06:56.374Z',
          actor: { type: 'user', id: 'usr_01m7ynzhj1f2r9v5c8k0w3m7tb', name: null, email: 'ada@example.com' },
          type: 'sign_in.failed',
          ip: '203.0.113.7',
          user_agent: 'Mozilla/5.0 (X11; Linux x86_64)',
          details: {},
        },
      ],
      ...PAGE,
    } satisfies SecurityEventList,
  },
}
