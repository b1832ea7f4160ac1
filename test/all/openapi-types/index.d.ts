export declare function generateTypes(document: object): Promise<string>;
export declare function compile(files: readonly string[], outDir: string): readonly string[];
