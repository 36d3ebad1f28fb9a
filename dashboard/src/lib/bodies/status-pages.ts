export {
  CreateStatusPageBody,
  CreateStatusPostBody,
  CreateSubscriberBody,
  PatchStatusPostBody,
  PatchStatusPostUpdateBody,
  StatusPostUpdateBody,
} from '@vedette/shared'
