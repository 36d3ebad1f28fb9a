export {
  CreateApiKeyBody,
  CreateIdentityProviderBody,
  InviteBody,
  OrganizationBody,
  PatchIdentityProviderBody,
  PatchOrganizationBody,
} from '@vedette/shared'
