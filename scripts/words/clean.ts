/** Folders and files that hold none of the words; the check refuses the words there. The dot means the whole repository. */
export const CLEAN: readonly string[] = ['.']
