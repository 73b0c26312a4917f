/** A page imports its styles; what they are is the bundler's to know. */
declare module '*.css'
