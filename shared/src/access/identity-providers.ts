import { type Static, Type } from 'typebox'
import { exampleId, IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH } from '../wire/limits.ts'
import { ManagedField } from '../wire/managed.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Secret, Timestamp, VisibleText } from '../wire/wire.ts'

export const IDENTITY_PROVIDER_KINDS = ['oidc', 'github'] as const
/** `owner` is not among them: no claim makes an owner. */
export const PROVIDED_ROLES = ['viewer', 'member', 'admin'] as const
export type ProvidedRole = (typeof PROVIDED_ROLES)[number]
export const MAX_EMAIL_DOMAINS = 20
export const MAX_ROLE_MAPPINGS = 50
/** Of the path that a sign-in returns to. */
export const MAX_RETURN_PATH_LENGTH = 500

export const IdentityProviderKind = Type.Enum([...IDENTITY_PROVIDER_KINDS], {
  $id: 'IdentityProviderKind',
  description: '`oidc`: OpenID Connect; `github`: OAuth 2 of GitHub, whose primary and verified e-mail counts',
})
export const ProvidedRoleName = Type.Enum([...PROVIDED_ROLES], {
  $id: 'ProvidedRole',
  description: 'A role that a provider may give; never `owner`',
})

export const RoleMapping = Type.Object(
  {
    value: VisibleText(200, { description: 'of the claim, which may also be a list', examples: ['operations'] }),
    role: Ref(ProvidedRoleName),
  },
  { $id: 'RoleMapping', description: 'A value of the role claim and the role that it gives', additionalProperties: false },
)
export type RoleMapping = Static<typeof RoleMapping>

const Name = VisibleText(MAX_NAME_LENGTH, { description: 'on the button of the sign-in page', examples: ['Example login'] })
const ClientId = VisibleText(200, { examples: ['vedette'] })
const ClientSecret = Secret({ minLength: 1, maxLength: 1_000, writeOnly: true, examples: ['as the provider shows it'] })
const EmailDomains = Type.Array(
  Type.String({ maxLength: 253, pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])$' }),
  {
    minItems: 1,
    maxItems: MAX_EMAIL_DOMAINS,
    uniqueItems: true,
    description: 'the provider may vouch for e-mails of these domains only; lower case, for example `example.com`',
    examples: [['example.com']],
  },
)
const CreatesAccounts = Type.Boolean({
  description: 'whether a person without an account gets one, and becomes a member, at the first sign-in',
  examples: [true],
})
const RoleClaim = Nullable(
  VisibleText(200, {
    description: 'claim with the roles or groups, for example `groups` or `realm_access.roles`; null: roles are set by hand',
    examples: ['groups'],
  }),
)
const RoleMappings = Type.Array(Ref(RoleMapping), {
  maxItems: MAX_ROLE_MAPPINGS,
  description: 'the highest role that matches counts, at each sign-in; without a match it is `default_role`',
  examples: [[{ value: 'operations', role: 'admin' }]],
})

const Optional = {
  email_domains: Type.Optional(EmailDomains),
  creates_accounts: Type.Optional(CreatesAccounts),
  default_role: Type.Optional(Ref(ProvidedRoleName)),
  role_claim: Type.Optional(RoleClaim),
  role_mapping: Type.Optional(RoleMappings),
  enabled: Type.Optional(Type.Boolean({ description: 'a disabled provider signs nobody in, and its sessions end' })),
}

export const CreateIdentityProviderBody = Type.Object(
  {
    name: Name,
    kind: Type.Optional(Ref(IdentityProviderKind)),
    issuer: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          'issuer URL, as in the discovery document: `https`, or `http` on this machine. Of `github`: the base URL, by default https://github.com',
        examples: ['https://login.example.com'],
      }),
    ),
    client_id: ClientId,
    client_secret: ClientSecret,
    ...Optional,
    email_domains: EmailDomains,
  },
  {
    $id: 'CreateIdentityProviderBody',
    description: 'Defaults: kind `oidc`, no accounts are created, role `viewer`',
    additionalProperties: false,
  },
)
export type CreateIdentityProviderBody = Static<typeof CreateIdentityProviderBody>

export const PatchIdentityProviderBody = Type.Object(
  {
    name: Type.Optional(Name),
    client_id: Type.Optional(ClientId),
    client_secret: Type.Optional(ClientSecret),
    ...Optional,
  },
  {
    $id: 'PatchIdentityProviderBody',
    description: 'Changes only the fields that are given. Kind and issuer stay: the accounts are those of the issuer',
    examples: [{ creates_accounts: false }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchIdentityProviderBody = Static<typeof PatchIdentityProviderBody>

const ROUTES = `https://vedette.example.com/v1/auth/oidc/${exampleId('identityProvider')}`

export const IdentityProvider = Type.Object(
  {
    id: IdOf('identityProvider'),
    name: Type.String({ examples: ['Example login'] }),
    kind: Ref(IdentityProviderKind),
    issuer: Type.String({ examples: ['https://login.example.com'] }),
    client_id: Type.String({ examples: ['vedette'] }),
    email_domains: Type.Array(Type.String({ examples: ['example.com'] })),
    creates_accounts: CreatesAccounts,
    default_role: Ref(ProvidedRoleName),
    role_claim: RoleClaim,
    role_mapping: RoleMappings,
    enabled: Type.Boolean({ examples: [true] }),
    domain_token: Type.String({
      description: 'the value of the TXT record `_vedette-domain.` and the domain, which proves each domain',
      examples: ['4f3a9c0d5e6b7a8190a1b2c3d4e5f607'],
    }),
    domains: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['example.com'] }),
        proved_at: { ...Nullable(Timestamp), description: 'null: not proved, and not offered at the sign-in' },
      }),
    ),
    callback_url: Type.String({ description: 'redirect URI, to be entered at the provider', examples: [`${ROUTES}/callback`] }),
    back_channel_logout_url: Nullable(
      Type.String({
        description: 'to be entered at the provider; null: it has no such logout',
        examples: [`${ROUTES}/back-channel-logout`],
      }),
    ),
    managed: ManagedField,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'IdentityProvider', description: 'A provider by which members sign in. Its client secret never comes back' },
)
export type IdentityProvider = Static<typeof IdentityProvider>

export const IdentityProviderListQuery = Type.Object(PageQuery, { additionalProperties: false })
export const IdentityProviderList = Type.Object(
  { identity_providers: Type.Array(Ref(IdentityProvider)), ...PageAnswer },
  { $id: 'IdentityProviderList', description: 'A page of identity providers, newest first' },
)
export type IdentityProviderList = Static<typeof IdentityProviderList>

const ProviderId = Type.String({ maxLength: 8_192, description: 'Id of the identity provider: `idp_…`' })
export const ProviderParams = Type.Object({ provider: ProviderId })

export const StartSignInQuery = Type.Object(
  {
    return_to: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_RETURN_PATH_LENGTH,
        // One slash, and nothing that a browser takes for another host: backslashes, blanks, control characters.
        pattern: '^/(?![/\\\\])[^\\\\#\\u0000-\\u0020\\u007f-\\u009f]*$',
        description: 'path on this installation that the browser returns to; default `/`',
      }),
    ),
  },
  { additionalProperties: false },
)

export const FindIdentityProvidersBody = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 254, description: 'only its domain counts', examples: ['ada@example.com'] }),
  },
  { $id: 'FindIdentityProvidersBody', additionalProperties: false },
)
export const IdentityProviderChoices = Type.Object(
  {
    identity_providers: Type.Array(
      Type.Object(
        {
          id: IdOf('identityProvider'),
          name: Type.String({ examples: ['Example login'] }),
          organization: Type.String({ description: 'name of the organization', examples: ['Example'] }),
          host: Type.String({ description: 'of its issuer, where the sign-in leads', examples: ['login.example.com'] }),
        },
        { description: 'a provider to sign in with' },
      ),
    ),
  },
  {
    $id: 'IdentityProviderChoices',
    description: 'The enabled providers for which the domain of an e-mail is proved, whether or not it has an account',
  },
)
export type IdentityProviderChoices = Static<typeof IdentityProviderChoices>
