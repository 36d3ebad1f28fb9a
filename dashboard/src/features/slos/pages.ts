/** The pages of the feature but for the editor, in one chunk. */
export { SloPage } from './details.tsx'
export { SloListPage } from './list.tsx'
