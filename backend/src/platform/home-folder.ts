/**
 * Where the program finds its other files, in a release as in the sources: by the same paths. The built form stands as deep below it
 * as this file, so that nothing else depends on its own depth.
 */
export const HOME_FOLDER = new URL('../../../', import.meta.url)
