export { authFeature } from './feature.ts'
export { type Origin, recordAccountEvent } from './account-event.ts'
export { mailAccountChange } from './account-mail.ts'
export { auditUser, readMe, setPassword } from './account.ts'
export type { AccessRule } from './authorize.ts'
export { authorizeRequests, enforceLimit, type RouteAccess } from './authorize-requests.ts'
export { type Authenticator, createAuthenticator } from './authenticate.ts'
export { findEmail, markVerified } from './email-store.ts'
export { releaseEmail } from './email.ts'
export { hashPassword, passwordFault, verifyPassword } from './password.ts'
export { type SendResetsDeps } from './password-reset.ts'
export { personName, personText } from './person-name-store.ts'
export {
  type Access,
  allows,
  type AnyPrincipal,
  type Caller,
  limitKeyOf,
  type Principal,
  probeOf,
  type ProbePrincipal,
  type SeriesOptions,
  type Tenant,
  tenantOf,
  userOf,
  type UserPrincipal,
  unsignedMember,
} from './principal.ts'
export {
  type Configuration,
  type Configured,
  type HandChange,
  type ManyChanges,
  pickFields,
  type RecordHandChange,
  type Spec,
  toConfigured,
} from './configured.ts'
export type { Resource, ResourceDeps, Schemas } from './resource.ts'
export { recordedMany } from './recorded.ts'
export { defineResource, ORGANIZATION_DELETED, resourceRoutes } from './resource-routes.ts'
export { restorableSince, toDeleted } from './restore-routes.ts'
export { callerOf, type ChangingRouteDeps, type CreatingRouteDeps, type RouteDeps } from './route-deps.ts'
export type { OpenedSession } from './refresh.ts'
export { clearRefreshCookie, readCookie, sendSession } from './refresh-cookie.ts'

export { createSecretToken, hashSecret, isSecretToken } from './secret-token.ts'
export {
  type AuthDeps,
  createUser,
  normalizeEmail,
  openVerifiedSession,
  openSession,
  verifyUser,
  type SignInDeps,
} from './service.ts'
export { endProvidedSessions, endSessionsOfPasskey, type ProvidedSession } from './session-store.ts'

export { createSessionTokens, type SessionTokens } from './session-token.ts'
export {
  deleteServerToken,
  deleteUser,
  findMembership,
  findProbe,
  findUserByEmail,
  findUserById,
  hasUsers,
  listOrganizationsOf,
  lockUser,
  IS_REFUSED,
  languageOfOrganization,
  putQuietTime,
  putSavedViews,
  replaceServerToken,
  takeRetiredToken,
} from './store.ts'
export { totpEncrypter } from './totp-encrypter.ts'
export { requireNoDemand, requireRecentProof, requireStrongSession, resetTotp } from './totp.ts'
export { parseNetwork } from './networks.ts'
export { hasPasskey, hasSecondFactor } from './totp-store.ts'
