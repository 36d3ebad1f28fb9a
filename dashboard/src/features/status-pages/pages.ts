/** The pages of the feature but for the editor, in one chunk. */
export { AddPostPage } from './add-post.tsx'
export { AnnouncePage } from './announce.tsx'
export { StatusPagePage } from './details.tsx'
export { StatusPageList } from './list.tsx'
export { PostPage } from './post.tsx'
export { SubscribersPage } from './subscribers.tsx'
