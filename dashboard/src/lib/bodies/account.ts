export { ChangeEmailBody, ChangePasswordBody, CreateContactMethodBody, PatchMembershipBody } from '@vedette/shared'
