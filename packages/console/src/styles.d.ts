/** Style sheets are imported for the bundler, which writes them to a file. */
declare module '*.css';
