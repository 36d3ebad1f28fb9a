export { CreateChannelBody, PatchChannelBody } from '@vedette/shared'
