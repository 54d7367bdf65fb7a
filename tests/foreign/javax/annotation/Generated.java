package javax.annotation;

/** The annotation of generated code, which is in a library that this folder does without. */
public @interface Generated {
    String[] value();

    String date() default "";

    String comments() default "";
}
